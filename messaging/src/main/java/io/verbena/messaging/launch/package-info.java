/** How ranks that other launchers have started find their number, the number of ranks and the place where they meet. */
@NullMarked
package io.verbena.messaging.launch;

import org.jspecify.annotations.NullMarked;
