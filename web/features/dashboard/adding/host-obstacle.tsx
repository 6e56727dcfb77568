import type { Obstacle } from './use-add-domain.ts';
import { LinkButton } from '../../../ui/button.tsx';

interface HostObstacleProps {
  obstacle: Obstacle;
  onShow: (id: string) => void;
}

/** Says below the field why its host was not added, and what to do. */
export function HostObstacle({ obstacle: { name, domainId }, onShow }: HostObstacleProps) {
  return (
    <span className="min-w-0 [overflow-wrap:anywhere]">
      {domainId === null ? (
        <>
          <bdi>{name}</bdi> has no public address in DNS. Check the spelling, or add it anyway.
        </>
      ) : (
        <>
          You already track <bdi>{name}</bdi>.{' '}
          <LinkButton
            className="inline-flex items-center font-semibold max-md:-my-3 max-md:min-h-11"
            onClick={() => onShow(domainId)}
          >
            Show it
          </LinkButton>
        </>
      )}
    </span>
  );
}
