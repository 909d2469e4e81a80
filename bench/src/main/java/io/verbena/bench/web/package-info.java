/** What it costs a process to be watched. */
@NullMarked
package io.verbena.bench.web;

import org.jspecify.annotations.NullMarked;
