/** The receiving side of a connection: bytes in any order, the window, and when to acknowledge. */
@NullMarked
package io.verbena.tcp.receive;

import org.jspecify.annotations.NullMarked;
