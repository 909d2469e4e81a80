/** The bundle of a release, and the rules that Maven Central has for it. */
@NullMarked
package io.verbena.dist;

import org.jspecify.annotations.NullMarked;
