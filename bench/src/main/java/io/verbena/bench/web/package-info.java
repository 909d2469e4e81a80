/** The cost of the live view for the process that it shows. */
@NullMarked
package io.verbena.bench.web;

import org.jspecify.annotations.NullMarked;
