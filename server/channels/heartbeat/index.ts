export { createPing, type Ping } from './ping.ts';
