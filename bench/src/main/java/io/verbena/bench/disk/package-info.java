/** Disks between two JVMs, beside a server of blocks with the channels of the JDK. */
@NullMarked
package io.verbena.bench.disk;

import org.jspecify.annotations.NullMarked;
