import { freshDatabase } from '../../kit/databases/database.ts';
import { fillDisk } from '../disk.ts';

// Runs the scenario in a mount namespace that has a small disk mounted at the folder given as argument.

const database = await freshDatabase('sqlite');
process.send?.(await fillDisk(database, process.argv[2] ?? ''));
await database.remove();
process.disconnect?.();
