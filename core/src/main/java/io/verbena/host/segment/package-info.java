/** Shared memory segments between processes: their names, their offers, and the pages of virtual memory. */
@NullMarked
package io.verbena.host.segment;

import org.jspecify.annotations.NullMarked;
