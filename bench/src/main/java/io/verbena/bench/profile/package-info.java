/** Where the time of the data path goes: flame graphs and a budget a message, from recordings of the JVM. */
@NullMarked
package io.verbena.bench.profile;

import org.jspecify.annotations.NullMarked;
