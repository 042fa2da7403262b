/** Both sides must speak the same; raised with any change of a message that the other side cannot ignore. */
export const PROTOCOL_VERSION = 1;
