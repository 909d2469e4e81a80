/** Scripts of segments in virtual time, pairs of hosts on bad paths, and hostile input. */
@NullMarked
package io.verbena.tcp;

import org.jspecify.annotations.NullMarked;
