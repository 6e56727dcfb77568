/** Paths of the files that the child process reads, and the URL of the CRL. */
export interface CrlFiles {
  list: string;
  issuer: string;
  certificate: string;
  url: string;
}

/** Cost of parsing, verifying and searching the CRL once in a new process. CPU times in ms. */
export interface CrlReading {
  parse: number;
  verify: number;
  lookUp: number;
  /** Peak RSS in bytes, minus the size of the file and the RSS before the file was read. */
  memory: number;
}
