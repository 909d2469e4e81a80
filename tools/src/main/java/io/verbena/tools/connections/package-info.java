/** The life of a connection as a ladder of frames and states, and a chat whose TCP connection becomes an RDMA connection. */
@org.jspecify.annotations.NullMarked
package io.verbena.tools.connections;
