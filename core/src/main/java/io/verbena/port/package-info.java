/** The boundary to the outside: non-blocking byte streams, packet ports, and their wrappers for faults and captures. */
@NullMarked
package io.verbena.port;

import org.jspecify.annotations.NullMarked;
