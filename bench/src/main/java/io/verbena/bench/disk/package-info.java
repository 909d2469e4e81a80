/** Disks served by one JVM to another, compared with a block server over the channels of the JDK. */
@NullMarked
package io.verbena.bench.disk;

import org.jspecify.annotations.NullMarked;
