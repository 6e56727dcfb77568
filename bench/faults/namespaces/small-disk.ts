import { freshDatabase } from '../../../tests/kit/database.ts';
import { fillDisk } from '../disk.ts';

// Runs in a mount namespace with a small disk mounted at the folder given as argument.

const database = await freshDatabase('sqlite');
process.send?.(await fillDisk(database, process.argv[2] ?? ''));
await database.remove();
process.disconnect?.();
