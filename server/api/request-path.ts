/** Returns whether the last part of a path looks like the name of a file and not of a page. */
export const namesFile = (path: string): boolean => path.lastIndexOf('.') > path.lastIndexOf('/');
