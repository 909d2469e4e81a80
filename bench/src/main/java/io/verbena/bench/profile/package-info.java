/** Profiles of the data path: flame graphs and a time budget per message, from recordings of the JVM. */
@NullMarked
package io.verbena.bench.profile;

import org.jspecify.annotations.NullMarked;
