/** Address spaces, their tables, and pages that come and go: the virtual memory manager. See docs/memory.md. */
@NullMarked
package io.verbena.memory.vmm;

import org.jspecify.annotations.NullMarked;
