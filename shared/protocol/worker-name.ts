/** A worker's name and its pool become part of Redis keys (`shards-<worker>`) and of what is printed. */
export const WORKER_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/;
export const WORKER_NAME_FORM = '1 to 63 letters, digits, dots, dashes or underscores';
