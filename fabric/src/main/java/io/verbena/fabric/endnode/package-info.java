/** Software RNICs as the endnodes of a fabric, in virtual time: verbs programs run unchanged on a simulated system area network. */
@NullMarked
package io.verbena.fabric.endnode;

import org.jspecify.annotations.NullMarked;
