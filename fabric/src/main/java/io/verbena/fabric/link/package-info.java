/**
 * The link layer of the system area network: frames with a CRC are cut into flits, which carry a virtual lane, an error
 * check, a size and returned credits. A link is lossless: a flit is sent only against a credit of its lane, and a
 * damaged flit is sent again.
 */
@NullMarked
package io.verbena.fabric.link;

import org.jspecify.annotations.NullMarked;
