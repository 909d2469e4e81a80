/** The virtual memory manager: address spaces, their tables, and paging. See docs/memory.md. */
@NullMarked
package io.verbena.memory.vmm;

import org.jspecify.annotations.NullMarked;
