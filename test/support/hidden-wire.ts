/** A Node whose TLS sockets do not show the TCP handle beneath them, as one of the future may not. */
import { TLSSocket } from 'node:tls';

interface Handle {
  _parent: { close(closed: () => void): void };
}

type WrapHandle = (wrap: object | null, ...rest: unknown[]) => Handle;

/** Of sockets that make their TCP connection themselves. @returns ends it */
export function hideWire(): () => void {
  const prototype = TLSSocket.prototype as unknown as { _wrapHandle: WrapHandle };
  const wrapHandle = prototype._wrapHandle;
  prototype._wrapHandle = function (this: TLSSocket, wrap, ...rest) {
    const handle = wrapHandle.call(this, wrap, ...rest);
    const tcp = handle._parent;
    if (wrap === null) handle._parent = { close: (closed) => tcp.close(closed) };
    return handle;
  };
  return () => {
    prototype._wrapHandle = wrapHandle;
  };
}
