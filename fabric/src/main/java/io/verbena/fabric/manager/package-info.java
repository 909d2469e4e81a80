/** A subnet manager: discovers a subnet, assigns LIDs, computes routes and keeps them right while links come and go. */
@NullMarked
package io.verbena.fabric.manager;

import org.jspecify.annotations.NullMarked;
