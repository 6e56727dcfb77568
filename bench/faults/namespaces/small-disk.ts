import { freshDatabase } from '../../../tests/kit/database.ts';
import { fillDisk } from '../disk.ts';

// Where a small disk is mounted at the folder that is its argument: seen by this process and those that it starts.

const database = await freshDatabase('sqlite');
process.send?.(await fillDisk(database, process.argv[2] ?? ''));
await database.remove();
process.disconnect?.();
