package io.verbena.sockets.nio.opening;

import java.nio.ByteBuffer;

/**
 * What a client does at the beginning of a TCP stream that may become a stream over RDMA. {@link ServerOpening} is the other side. Both
 * are without I/O; what they return is to be done, in this order.
 *
 * <pre>
 *   client                                     server
 *   upgrade, with a nonce          ---->       answers, as long as its program has not got the stream
 *          (1)                     &lt;----       reply: agrees
 *   request of the stream, or offer of memory  RDMA
 *
 *          (2)                     &lt;----       bytes of its program, or reply: declines
 *   withdrawal, bytes of its program ---->     drops the upgrade and the withdrawal; TCP
 *
 *          (3)  no answer in time
 *   withdrawal, bytes of its program ---->     drops both; TCP
 * </pre>
 *
 * <p><b>Who may send what.</b> After an upgrade a client sends nothing before it has an answer or withdraws. So a server finds after an upgrade
 * either a withdrawal or, if it has agreed, what begins RDMA. A server agrees only while its program has not got the stream, and sends
 * nothing after that until it knows what the client does. So the reply that crosses a withdrawal is the first thing that the client reads, and the client
 * drops exactly that: the nonce identifies it.
 *
 * <p>The stream that is decided for TCP is the one that was connected: no bytes and no connection are lost.
 */
public final class ClientOpening {

    /** The state of the client. */
    public enum State {
        /** The upgrade was sent. */
        ASKED,
        /** The server has agreed. */
        AGREED,
        /** The server leaves the stream to its program. */
        DECLINED,
        /** The peer speaks MPA, but is no provider of sockets: it needs a request without an upgrade. */
        FOREIGN,
        /** The peer has sent other bytes: a program, of a Verbena or not. */
        ANSWERED,
        /** The stream remains TCP; a reply that crosses the withdrawal is dropped. */
        WITHDRAWN,
        /** The stream remains TCP, and all bytes are those of the program. */
        PLAIN
    }

    private final long nonce;
    private State state = State.ASKED;
    private boolean rings;
    private ByteBuffer read = ByteBuffer.allocate(0);

    public ClientOpening(long nonce) {
        this.nonce = nonce;
    }

    public State state() {
        return state;
    }

    /** Whether a server that has agreed also accepts an offer of rings. */
    public boolean rings() {
        return rings;
    }

    public byte[] upgrade() {
        return FirstBytes.upgrade(nonce, FirstBytes.ASKS);
    }

    public byte[] probe() {
        return FirstBytes.upgrade(nonce, FirstBytes.PROBES);
    }

    /** What was read: bytes of the program as soon as the state is {@link State#PLAIN}. */
    public ByteBuffer read() {
        return read.duplicate().flip();
    }

    /** Bytes have arrived. */
    public void onBytes(ByteBuffer more) {
        append(more);
        if (state == State.ASKED) {
            state = switch (FirstBytes.answer(read, nonce)) {
                case INCOMPLETE -> State.ASKED;
                case AGREES -> {
                    rings = FirstBytes.acceptsRings(read);
                    yield drop(State.AGREED);
                }
                case DECLINES -> drop(State.DECLINED);
                case FOREIGN -> State.FOREIGN;
                case PLAIN -> State.ANSWERED;
            };
        } else if (state == State.WITHDRAWN) {
            state = switch (FirstBytes.answer(read, nonce)) {
                case INCOMPLETE -> State.WITHDRAWN;
                case AGREES, DECLINES -> drop(State.PLAIN);
                case FOREIGN, PLAIN -> State.PLAIN;
            };
        }
    }

    private void append(ByteBuffer more) {
        read = ByteBuffer.allocate(read.position() + more.remaining())
                .put(read.duplicate().flip())
                .put(more);
    }

    /** Drops the reply. */
    private State drop(State next) {
        byte[] rest = new byte[read.position() - FirstBytes.UPGRADE_BYTES];
        read.get(FirstBytes.UPGRADE_BYTES, rest);
        read = ByteBuffer.allocate(rest.length).put(rest);
        return next;
    }

    /** The peer has sent all it will, or has waited long enough with the beginning of a reply: what was read is the program's. */
    void onEndOfFrames() {
        if (state == State.WITHDRAWN) {
            state = State.PLAIN;
        }
    }

    /** The stream remains TCP. Returns what is to be sent before the bytes of the program. */
    public byte[] withdraw() {
        // A server that has answered in any way sends no reply any more.
        state = state == State.ASKED ? State.WITHDRAWN : State.PLAIN;
        return FirstBytes.withdrawal(nonce);
    }
}
