import { validate } from 'dockerfile-utils';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Deployment } from 'kubernetes-types/apps/v1.d.ts';
import type { Container } from 'kubernetes-types/core/v1.d.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { CALLS } from '../contract/calls/calls.ts';

const root = resolve(import.meta.dirname, '..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

interface Compose {
  services: Record<string, Service>;
  volumes: Record<string, unknown>;
}
interface Service {
  image: string;
  environment?: Record<string, string>;
  ports?: string[];
  volumes: string[];
  depends_on?: Record<string, { condition: string }>;
  deploy?: { replicas: number };
}

/** Common fields of the manifests. */
interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: { name: string };
  data?: Record<string, string>;
  stringData?: Record<string, string>;
  spec?: { selector?: Record<string, unknown> & { matchLabels?: Record<string, string> } };
}

/** Returns the documents of a YAML file; duplicate keys and any other warning of the parser are errors. */
function documents<T>(path: string): T[] {
  return parseAllDocuments(read(path), { merge: true, strict: true }).map((document) => {
    expect([...document.errors, ...document.warnings], path).toEqual([]);
    return document.toJS();
  });
}

const knownVariables = new Set(
  [...read('.env.example').matchAll(/^#?([A-Z][A-Z0-9_]*)=/gm)].map(([, name]) => name),
);
const unknownVariables = (names: string[]): string[] => names.filter((name) => !knownVariables.has(name));

describe('The Dockerfile', () => {
  const text = read('Dockerfile');

  it('passes Docker’s validator', () => {
    expect(validate(text).map(({ message }) => message)).toEqual([]);
  });

  it('gets its base image from one build argument with an exact version as default', () => {
    expect(text).toMatch(/^ARG NODE_IMAGE=node:\d+\.\d+\.\d+-[a-z]+-slim$/m);
    // An argument that is declared in a stage does not apply to FROM. It must be declared before the first FROM.
    expect(text.indexOf('ARG NODE_IMAGE=')).toBeLessThan(text.search(/^FROM /m));
    expect(text.match(/^ARG /gm)).toHaveLength(1);
    const bases = [...text.matchAll(/^FROM (\S+)/gm)].map(([, base]) => base);
    expect(bases).toEqual(['${NODE_IMAGE}', '${NODE_IMAGE}', '${NODE_IMAGE}']);
  });

  it('has the base image whose digest the release instructions resolve', () => {
    const [, image = 'none'] = /^ARG NODE_IMAGE=(\S+)$/m.exec(text) ?? [];
    const recipe = read('CONTRIBUTING.md');
    expect(recipe).toContain(`image=${image}\n`);
    expect(recipe).toContain(
      'docker buildx imagetools inspect --format \'{{println .Manifest.Digest}}\' "$image"',
    );
    expect(recipe).toContain('--build-arg NODE_IMAGE="$image@$digest"');
  });

  it('runs node directly as an unprivileged user', () => {
    expect(text).toMatch(/^USER [1-9]\d*:[1-9]\d*$/m);
    expect(text).toMatch(/^CMD \["node", "--enable-source-maps", "dist\/programs\/main\.js"\]$/m);
    expect(text).not.toMatch(/^(?:ADD|ENTRYPOINT|RUN .*curl)/m);
  });

  it('sets only environment variables that the product knows', () => {
    const names = [...text.matchAll(/^ENV (.+)$/gm)].flatMap(([, pairs = '']) =>
      pairs.split(' ').map((pair) => pair.split('=')[0] ?? ''),
    );
    expect(unknownVariables(names)).toEqual(['NODE_ENV']);
  });
});

function readCompose(file: string): Compose {
  const [compose] = documents<Compose>(join('deploy/compose', file));
  if (!compose) throw new Error(`${file} is empty`);
  return compose;
}

describe.each(['compose.yaml', 'compose.postgres.yaml'])('deploy/compose/%s', (file) => {
  const compose = readCompose(file);
  const services = Object.entries(compose.services);

  it.each(services)('runs %s read-only and without capabilities', (_name, service) => {
    expect(service).toMatchObject({
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
      pids_limit: expect.any(Number),
    });
    expect(service).not.toHaveProperty('privileged');
    expect(service).not.toHaveProperty('cap_add');
    if (service.image !== 'certlantern') expect(service.image).toMatch(/:\d+\.\d+-[a-z]+$/);
  });

  it('binds ports to this machine, keeps data in volumes and contains no secrets', () => {
    for (const [, service] of services) {
      for (const port of service.ports ?? []) expect(port).toMatch(/^127\.0\.0\.1:/);
      for (const volume of service.volumes)
        expect(Object.keys(compose.volumes)).toContain(volume.split(':')[0]);
    }
    expect(read(join('deploy/compose', file))).not.toMatch(
      /^ +\w*(?:PASSWORD|SECRET|TOKEN|KEY): (?!\$\{)|:\/\/\w+:(?!\$\{)/m,
    );
  });

  it('sets the image’s addresses and folders, so that .env.example cannot change them', () => {
    const ofImage = [...read('Dockerfile').matchAll(/\b([A-Z_]+)=(\S+)/g)].filter(
      ([, name = '']) => name !== 'NODE_ENV' && knownVariables.has(name),
    );
    expect(ofImage.map(([, name]) => name)).toEqual(['DATA_DIR', 'HOST', 'PORT', 'WORKER_PORT']);
    for (const [, { image, environment }] of services)
      if (image === 'certlantern')
        expect(environment).toMatchObject(
          Object.fromEntries(ofImage.map(([, name, value]) => [name, value])),
        );
  });

  it('depends only on services of the same file and sets only variables that the product knows', () => {
    for (const [, service] of services) {
      for (const other of Object.keys(service.depends_on ?? {}))
        expect(compose.services).toHaveProperty(other);
      if (service.image === 'certlantern')
        expect(unknownVariables(Object.keys(service.environment ?? {}))).toEqual([]);
    }
  });
});

it('The systemd unit can enter its config folder, whose settings only root can read', () => {
  expect(read('deploy/systemd/certlantern.service')).toMatch(/^ConfigurationDirectoryMode=0755$/m);
  expect(read('docs/guides/install.md')).toContain(
    'install -d -m 755 /etc/certlantern && install -m 600 .env.example /etc/certlantern/certlantern.env',
  );
});

it('compose.postgres.yaml has one API, two workers and a migration that runs first', () => {
  const { app, worker, migrate } = readCompose('compose.postgres.yaml').services;
  expect([app, worker, migrate].map((service) => service?.environment?.['ROLE'])).toEqual([
    'api',
    'worker',
    'migrate',
  ]);
  expect(worker?.deploy?.replicas).toBe(2);
  for (const service of [app, worker])
    expect(service?.depends_on?.['migrate']?.condition).toBe('service_completed_successfully');
});

/** The required parts of a deployment; the compiler checks that they exist. */
function deploymentOf({ spec }: Deployment): {
  selector: Record<string, string>;
  labels: Record<string, string>;
  pod: NonNullable<NonNullable<Deployment['spec']>['template']['spec']>;
  containers: Container[];
} {
  const pod = spec?.template.spec;
  if (!pod) throw new Error('A deployment without pods');
  return {
    selector: spec.selector.matchLabels ?? {},
    labels: spec.template.metadata?.labels ?? {},
    pod,
    containers: [...(pod.initContainers ?? []), ...pod.containers],
  };
}

describe('deploy/kubernetes', () => {
  const folder = 'deploy/kubernetes';
  const files = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.yaml'))
    .toSorted();
  const objects = files.flatMap((file) =>
    documents<Manifest>(join(folder, file)).map((object) => ({ file, object })),
  );
  const named = (kind: string): string[] =>
    objects.filter(({ object }) => object.kind === kind).map(({ object }) => object.metadata.name);
  const deployments = objects
    .filter(({ object }) => object.kind === 'Deployment')
    .map(({ object }) => deploymentOf(object as Deployment));
  let scratch = '';

  beforeAll(() => {
    scratch = mkdtempSync(join(tmpdir(), 'certlantern-manifests-'));
  });
  afterAll(() => rmSync(scratch, { recursive: true, force: true }));

  it('has only valid fields of the Kubernetes API', () => {
    // The compiler checks literals against types generated from Kubernetes' API description, down to the last field.
    const literals = objects.map(({ file, object }, index) => {
      const [group = '', version = 'v1'] = object.apiVersion.includes('/')
        ? object.apiVersion.split('/')
        : ['core', object.apiVersion];
      return [
        `// ${file}`,
        `import type { ${object.kind} as Kind${index} } from 'kubernetes-types/${group}/${version}.d.ts';`,
        `export const object${index}: Kind${index} = ${JSON.stringify(object, null, 2)};`,
      ].join('\n');
    });
    writeFileSync(join(scratch, 'manifests.ts'), `${literals.join('\n')}\n`);
    writeFileSync(
      join(scratch, 'tsconfig.json'),
      JSON.stringify({
        compilerOptions: {
          strict: true,
          noEmit: true,
          module: 'esnext',
          moduleResolution: 'bundler',
          allowImportingTsExtensions: true,
          types: [],
          paths: { 'kubernetes-types/*': [join(root, 'node_modules/kubernetes-types/*')] },
        },
        files: ['manifests.ts'],
      }),
    );
    const check = (): Buffer =>
      execFileSync(join(root, 'node_modules/.bin/tsc'), ['-p', scratch], { stdio: 'pipe' });
    expect(check).not.toThrow();
  });

  it('meets the restricted pod security standard', () => {
    for (const { pod, containers } of deployments) {
      expect(pod.securityContext).toMatchObject({
        runAsNonRoot: true,
        seccompProfile: { type: 'RuntimeDefault' },
      });
      expect(pod.automountServiceAccountToken).toBe(false);
      for (const key of ['hostNetwork', 'hostPID', 'hostIPC']) expect(pod).not.toHaveProperty(key);
      for (const { securityContext, resources } of containers) {
        expect(securityContext).toEqual({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        });
        expect(resources).toMatchObject({
          requests: { cpu: expect.any(String), memory: expect.any(String) },
          limits: { memory: expect.any(String) },
        });
      }
    }
  });

  it('probes health at the product’s paths', () => {
    expect(deployments).toHaveLength(2);
    for (const { pod } of deployments)
      for (const { readinessProbe, startupProbe, livenessProbe, ports } of pod.containers) {
        expect(readinessProbe?.httpGet?.path).toBe(`/api${CALLS.healthReady.path}`);
        expect(startupProbe?.httpGet?.path).toBe(`/api${CALLS.healthReady.path}`);
        expect(livenessProbe?.httpGet?.path).toBe(`/api${CALLS.healthLive.path}`);
        for (const probe of [readinessProbe, startupProbe, livenessProbe])
          expect(ports?.map(({ name }) => name)).toContain(probe?.httpGet?.port);
      }
  });

  it('refers only to volumes, settings, secrets and labels that exist', () => {
    for (const { selector, labels, pod, containers } of deployments) {
      expect(labels).toMatchObject(selector);
      for (const { secret } of pod.volumes ?? [])
        if (secret) expect(named('Secret')).toContain(secret.secretName);
      for (const { volumeMounts = [], envFrom = [], env = [] } of containers) {
        for (const { name } of volumeMounts)
          expect(pod.volumes?.map((volume) => volume.name)).toContain(name);
        for (const { configMapRef, secretRef } of envFrom)
          expect(named(configMapRef ? 'ConfigMap' : 'Secret')).toContain((configMapRef ?? secretRef)?.name);
        expect(unknownVariables(env.map(({ name }) => name))).toEqual([]);
      }
    }
    for (const { object } of objects) {
      const selector = object.spec?.selector?.matchLabels ?? object.spec?.selector;
      if (selector === undefined) continue;
      const matching = deployments.filter(({ labels }) =>
        Object.entries(selector).every(([label, value]) => labels[label] === value),
      );
      expect(matching, `${object.kind} ${object.metadata.name}`).toHaveLength(1);
    }
  });

  it('sets only variables that the product knows and has secrets only in examples', () => {
    for (const { file, object } of objects) {
      if (object.kind === 'ConfigMap') expect(unknownVariables(Object.keys(object.data ?? {}))).toEqual([]);
      if (object.kind === 'Secret') {
        expect(file).toMatch(/^examples\//);
        const names = Object.keys(object.stringData ?? {}).filter((name) => name !== 'secrets.json');
        expect(unknownVariables(names)).toEqual([]);
      }
    }
  });
});
