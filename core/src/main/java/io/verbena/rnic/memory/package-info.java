/** What a protection domain owns: regions, windows, address handles, and address spaces with demand paging. */
@NullMarked
package io.verbena.rnic.memory;

import org.jspecify.annotations.NullMarked;
