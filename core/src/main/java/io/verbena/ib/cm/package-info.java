/**
 * Communication management of InfiniBand: how two queue pairs find each other, as a pure engine. {@code CmAgent} takes the
 * management datagrams of a port and answers with others; {@code CmTable} is the life of one connection.
 */
@NullMarked
package io.verbena.ib.cm;

import org.jspecify.annotations.NullMarked;
