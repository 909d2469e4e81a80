/** Races of the threads that drive an engine. */
@org.jspecify.annotations.NullMarked
package io.verbena.stress.host;
