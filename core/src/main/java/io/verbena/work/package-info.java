/**
 * Execution of work that no transport owns: gathering and scattering payload, access by remote keys, work on keys. A
 * transport calls it from its engine; nothing here knows a header.
 */
@NullMarked
package io.verbena.work;

import org.jspecify.annotations.NullMarked;
