/** Files for the child process to read. */
export interface CrlFiles {
  list: string;
  issuer: string;
  certificate: string;
  url: string;
}

/** Cost of reading the list once in a new process. CPU times in ms, sizes in bytes. */
export interface CrlReading {
  parse: number;
  verify: number;
  lookUp: number;
  /** Peak RSS minus the RSS before reading and the size of the file. */
  memory: number;
}
