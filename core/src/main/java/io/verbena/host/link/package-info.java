/** The carriers of the library's own TCP: links between processes, and the driver of its stack. */
@NullMarked
package io.verbena.host.link;

import org.jspecify.annotations.NullMarked;
