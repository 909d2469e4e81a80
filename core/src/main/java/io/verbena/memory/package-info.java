/** Who may touch which bytes: regions, protection domains, remote keys and slabs. */
@NullMarked
package io.verbena.memory;

import org.jspecify.annotations.NullMarked;
