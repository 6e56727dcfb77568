/** Where a child finds what it is to read. */
export interface CrlFiles {
  list: string;
  issuer: string;
  certificate: string;
  url: string;
}

/** One reading of the whole list in a process of its own. CPU times in ms, sizes in bytes. */
export interface CrlReading {
  parse: number;
  verify: number;
  lookUp: number;
  /** The most that the process ever held, less what it held before and the file. */
  memory: number;
}
