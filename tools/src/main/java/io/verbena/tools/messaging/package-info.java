/** The work of the messaging commands: many channels at once, and ranks as processes. */
@NullMarked
package io.verbena.tools.messaging;

import org.jspecify.annotations.NullMarked;
