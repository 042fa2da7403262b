/** The media type of a script package; apart, for a client needs no more of the routes. */
export const PACKAGE_TYPE = 'application/x-tar';
