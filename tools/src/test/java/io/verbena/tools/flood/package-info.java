/** Connection requests with forged addresses, at a server on real sockets. */
@NullMarked
package io.verbena.tools.flood;

import org.jspecify.annotations.NullMarked;
