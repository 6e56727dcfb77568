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

/** What the manifests have in common. */
interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: { name: string };
  data?: Record<string, string>;
  stringData?: Record<string, string>;
  spec?: { selector?: Record<string, unknown> & { matchLabels?: Record<string, string> } };
}

/** The documents of a YAML file; a key twice, or anything else that the parser warns of, is an error. */
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

describe('the Dockerfile', () => {
  const text = read('Dockerfile');

  it('is one that Docker’s own rules take', () => {
    expect(validate(text).map(({ message }) => message)).toEqual([]);
  });

  it('takes its base image from one argument, whose default is an exact version of the official image', () => {
    expect(text).toMatch(/^ARG NODE_IMAGE=node:\d+\.\d+\.\d+-[a-z]+-slim$/m);
    // An argument of a stage does not reach FROM: it has to be declared before the first one.
    expect(text.indexOf('ARG NODE_IMAGE=')).toBeLessThan(text.search(/^FROM /m));
    expect(text.match(/^ARG /gm)).toHaveLength(1);
    const bases = [...text.matchAll(/^FROM (\S+)/gm)].map(([, base]) => base);
    expect(bases).toEqual(['${NODE_IMAGE}', '${NODE_IMAGE}', '${NODE_IMAGE}']);
  });

  it('is built for a release on the digest of that very image', () => {
    const [, image = 'none'] = /^ARG NODE_IMAGE=(\S+)$/m.exec(text) ?? [];
    const recipe = read('CONTRIBUTING.md');
    expect(recipe).toContain(`image=${image}\n`);
    expect(recipe).toContain(
      'docker buildx imagetools inspect --format \'{{println .Manifest.Digest}}\' "$image"',
    );
    expect(recipe).toContain('--build-arg NODE_IMAGE="$image@$digest"');
  });

  it('ends as somebody who is not root, with node itself as the process that gets the signals', () => {
    expect(text).toMatch(/^USER [1-9]\d*:[1-9]\d*$/m);
    expect(text).toMatch(/^CMD \["node", "server\/main\.ts"\]$/m);
    expect(text).not.toMatch(/^(?:ADD|ENTRYPOINT|RUN .*curl)/m);
  });

  it('sets no variable that the product does not know', () => {
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

  it.each(services)('%s is confined', (_name, service) => {
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

  it('is reached by this machine alone, keeps what matters in volumes, and says no secret', () => {
    for (const [, service] of services) {
      for (const port of service.ports ?? []) expect(port).toMatch(/^127\.0\.0\.1:/);
      for (const volume of service.volumes)
        expect(Object.keys(compose.volumes)).toContain(volume.split(':')[0]);
    }
    expect(read(join('deploy/compose', file))).not.toMatch(
      /^ +\w*(?:PASSWORD|SECRET|TOKEN|KEY): (?!\$\{)|:\/\/\w+:(?!\$\{)/m,
    );
  });

  it('listens and writes where the image does, even with all of .env.example as its settings', () => {
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

  it('waits only for services that are there, and sets only variables that are known', () => {
    for (const [, service] of services) {
      for (const other of Object.keys(service.depends_on ?? {}))
        expect(compose.services).toHaveProperty(other);
      if (service.image === 'certlantern')
        expect(unknownVariables(Object.keys(service.environment ?? {}))).toEqual([]);
    }
  });
});

it('systemd’s service can enter the folder of its settings, and nobody else reads these', () => {
  expect(read('deploy/systemd/certlantern.service')).toMatch(/^ConfigurationDirectoryMode=0755$/m);
  expect(read('docs/guides/install.md')).toContain(
    'install -d -m 755 /etc/certlantern && install -m 600 .env.example /etc/certlantern/certlantern.env',
  );
});

it('PostgreSQL’s compose file has one process that serves, two that work and one that migrates first', () => {
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

/** The parts of a deployment that have to be there; the compiler checks that they are. */
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

  it('has only fields that Kubernetes knows, of the right types, and all that it asks for', () => {
    // The compiler holds literals against the types that are made from Kubernetes' own description: strict, down to the last field.
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

  it('runs as the restricted pod security standard asks', () => {
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

  it('asks for health where the product answers it', () => {
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

  it('refers to what is there: volumes, settings, secrets, labels', () => {
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

  it('sets only variables that the product knows, and keeps secrets out of what is applied as a folder', () => {
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
