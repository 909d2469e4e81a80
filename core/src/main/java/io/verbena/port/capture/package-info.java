/** Ports and streams that record what passes, for pcapng files. */
@NullMarked
package io.verbena.port.capture;

import org.jspecify.annotations.NullMarked;
