/** FPDUs: their framing, their reading, and the Terminate message. */
@NullMarked
package io.verbena.iwarp.frame;

import org.jspecify.annotations.NullMarked;
