/** Types that every engine uses: slabs, transmit lists, doorbells, checksums, instants and transition tables. */
@NullMarked
package io.verbena.base;

import org.jspecify.annotations.NullMarked;
