/** Disks as the command line serves them: their files, faults and figures, and how other commands change a running server. */
@NullMarked
package io.verbena.tools.disk;

import org.jspecify.annotations.NullMarked;
