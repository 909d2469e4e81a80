/** The boundary to the outside: byte streams that never block, and wrappers around them for faults and capture. */
@NullMarked
package io.verbena.port;

import org.jspecify.annotations.NullMarked;
