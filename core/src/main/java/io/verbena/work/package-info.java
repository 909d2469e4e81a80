/**
 * Execution of work that is common to all transports: gather and scatter, access by remote keys, operations on keys. The
 * engines of the transports call it; nothing in it depends on a wire format.
 */
@NullMarked
package io.verbena.work;

import org.jspecify.annotations.NullMarked;
