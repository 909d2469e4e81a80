/** Memory access: regions, protection domains, remote keys, access checks and revocation. */
@NullMarked
package io.verbena.memory;

import org.jspecify.annotations.NullMarked;
