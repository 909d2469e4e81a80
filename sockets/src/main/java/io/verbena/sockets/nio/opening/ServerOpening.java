package io.verbena.sockets.nio.opening;

import java.nio.ByteBuffer;

/**
 * What a server does at the beginning of a TCP stream that it has accepted; {@link ClientOpening} draws the exchange. The owner reads
 * bytes, passes them in, and sends what {@link #takeReply} returns.
 */
public final class ServerOpening {

    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

    /** The state of the server. */
    public enum State {
        /** The program has not got the stream, and its first bytes decide. */
        WATCHED,
        /** The server has agreed to an upgrade, and waits for what the client does. */
        AGREED,
        /** The program has the stream, and its first bytes decide. */
        SHOWN,
        /** An upgrade was dropped, and its withdrawal follows. */
        DROPPING,
        /** The peer asks for RDMA. */
        REQUEST,
        /** The stream is one of TCP, and all bytes are those of the program. */
        PLAIN,
        /** There is nothing for the program: the client asked a question, has given up, or is none of ours after all. */
        GONE
    }

    private final boolean agrees;
    private final boolean rings;
    private State state = State.WATCHED;
    private boolean asked;
    private boolean agreed;
    private boolean overRoce;
    private boolean shown;
    private boolean written;
    private long nonce;
    private byte[] reply = new byte[0];

    /** What was read and is not dropped, before the position. */
    private ByteBuffer read = NOTHING;

    /** Begins with a stream that the program has not got; {@code agrees} is whether this peer may use RDMA. */
    public ServerOpening(boolean agrees) {
        this(agrees, false);
    }

    /** The same; {@code rings} is whether it also accepts an offer of rings. */
    public ServerOpening(boolean agrees, boolean rings) {
        this.agrees = agrees;
        this.rings = rings;
    }

    public State state() {
        return state;
    }

    /** Whether the first bytes are known. */
    boolean decided() {
        return state.ordinal() >= State.REQUEST.ordinal();
    }

    /** Whether the beginning of a frame was read. */
    public boolean partial() {
        return !decided() && read.position() > 0;
    }

    /** Why the stream is TCP, if it is. */
    String why() {
        if (overRoce) {
            return "the peer has connected by TCP and not by RoCE";
        }
        if (!agrees) {
            return "the option accept does not have the peer";
        }
        if (!asked) {
            return "the peer has not asked for RDMA";
        }
        return agreed
                ? "the peer has withdrawn its request for RDMA"
                : "the program had accepted the connection before the peer asked for RDMA";
    }

    /** RDMA is used by RoCE, at the same port: the stream is TCP, and its first bytes are not examined. */
    public void onTcpBesideRoce() {
        overRoce = true;
        onWritten();
        onEnd();
    }

    /** What was read: bytes of the program with {@link State#PLAIN}, and what begins RDMA with {@link State#REQUEST}. */
    ByteBuffer read() {
        return read.duplicate().flip();
    }

    /** What is to be sent now, before any bytes of the program; empty in most cases. */
    public byte[] takeReply() {
        byte[] taken = reply;
        reply = new byte[0];
        return taken;
    }

    /** Bytes have arrived. */
    public void onBytes(ByteBuffer more) {
        read = ByteBuffer.allocate(read.position() + more.remaining())
                .put(read.duplicate().flip())
                .put(more);
        State before;
        do {
            before = state;
            advance();
        } while (state != before);
    }

    private void advance() {
        switch (state) {
            case WATCHED, SHOWN -> onFirst();
            case AGREED -> onAgreed();
            case DROPPING -> onWithdrawal(State.PLAIN);
            case REQUEST, PLAIN, GONE -> {}
        }
    }

    private void onFirst() {
        if (read.position() == 0) {
            return;
        }
        switch (FirstBytes.kind(read)) {
            case INCOMPLETE -> {}
            case PLAIN -> state = State.PLAIN;
            case REQUEST -> state = written || !agrees ? State.PLAIN : State.REQUEST;
            case RINGS -> state = State.PLAIN; // only after an upgrade
            case PROBE -> {
                nonce = FirstBytes.nonce(read);
                drop(FirstBytes.UPGRADE_BYTES);
                answer(false);
                state = state == State.WATCHED ? State.GONE : State.DROPPING;
            }
            case UPGRADE -> {
                asked = true;
                nonce = FirstBytes.nonce(read);
                drop(FirstBytes.UPGRADE_BYTES);
                boolean waits = read.position() == 0;
                boolean takes = state == State.WATCHED && agrees && waits;
                agreed = takes;
                if (waits) {
                    answer(takes);
                }
                state = takes ? State.AGREED : State.DROPPING;
            }
        }
    }

    /** A server whose program has written sends no reply: it would be among the bytes of the program. */
    private void answer(boolean agreed) {
        if (!written) {
            reply = FirstBytes.reply(nonce, agreed, rings);
        }
    }

    private void drop(int bytes) {
        byte[] rest = new byte[read.position() - bytes];
        read.get(bytes, rest);
        read = ByteBuffer.allocate(rest.length).put(rest);
    }

    private void onAgreed() {
        if (read.position() == 0) {
            return;
        }
        switch (FirstBytes.kind(read)) {
            case REQUEST -> state = State.REQUEST;
            case INCOMPLETE -> onWithdrawal(State.AGREED); // an offer and a withdrawal begin with the same bytes
            case RINGS -> state = rings ? State.REQUEST : State.GONE;
            case UPGRADE, PROBE, PLAIN -> onWithdrawal(State.GONE);
        }
    }

    private void onWithdrawal(State otherwise) {
        switch (FirstBytes.withdrawal(read, 0, nonce)) {
            case UPGRADE -> {
                drop(FirstBytes.WITHDRAWAL_BYTES);
                state = State.PLAIN;
            }
            case INCOMPLETE -> {}
            default -> state = otherwise;
        }
    }

    /** The program gets the stream. */
    public void onShown() {
        shown = true;
        if (state == State.WATCHED) {
            state = State.SHOWN;
        }
    }

    /** The program writes, or ends its output: the stream is one of TCP, and what it reads may begin with an upgrade. */
    void onWritten() {
        onShown();
        written = true;
    }

    /** Nothing has arrived for a while: the beginning of a frame is the program's. */
    public void onPause() {
        if ((state == State.WATCHED || state == State.SHOWN) && read.position() > 0) {
            state = State.PLAIN;
        }
    }

    /** The peer has ended its output, or has reset the connection. */
    public void onEnd() {
        state = switch (state) {
            case WATCHED, SHOWN, PLAIN -> State.PLAIN;
            case DROPPING -> shown ? State.PLAIN : State.GONE;
            case AGREED, GONE -> State.GONE;
            case REQUEST -> State.REQUEST;
        };
    }
}
