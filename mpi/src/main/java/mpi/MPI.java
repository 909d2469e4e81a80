package mpi;

import io.verbena.messaging.Communicator;
import io.verbena.messaging.MessagingOptions;
import io.verbena.messaging.Window;
import io.verbena.messaging.collective.ElementType;
import io.verbena.messaging.collective.PredefinedReduction;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.CharBuffer;
import java.nio.DoubleBuffer;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;
import java.nio.LongBuffer;
import java.nio.ShortBuffer;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The environment of an MPI program, and the constants. */
public final class MPI {

    // Error classes.

    public static final int SUCCESS = 0;
    public static final int ERR_BUFFER = 1;
    public static final int ERR_COUNT = 2;
    public static final int ERR_TYPE = 3;
    public static final int ERR_TAG = 4;
    public static final int ERR_COMM = 5;
    public static final int ERR_RANK = 6;
    public static final int ERR_REQUEST = 7;
    public static final int ERR_ROOT = 8;
    public static final int ERR_GROUP = 9;
    public static final int ERR_OP = 10;
    public static final int ERR_TOPOLOGY = 11;
    public static final int ERR_DIMS = 12;
    public static final int ERR_ARG = 13;
    public static final int ERR_UNKNOWN = 14;
    public static final int ERR_TRUNCATE = 15;
    public static final int ERR_OTHER = 16;
    public static final int ERR_INTERN = 17;

    /** The key of an attribute does not exist. */
    public static final int ERR_KEYVAL = 36;

    /** The operation does not exist here. */
    public static final int ERR_UNSUPPORTED_OPERATION = 52;

    /** A rank has died (ULFM's name). */
    public static final int ERR_PROC_FAILED = 75;

    /** The communicator was revoked (ULFM's name). */
    public static final int ERR_REVOKED = 77;

    // Values.

    /** The version of the standard whose names are used. */
    public static final int VERSION = 3;

    public static final int SUBVERSION = 1;

    public static final int ANY_SOURCE = -1;
    public static final int ANY_TAG = -1;
    public static final int PROC_NULL = -2;
    public static final int UNDEFINED = -32766;
    public static final int IDENT = 0;
    public static final int CONGRUENT = 1;
    public static final int SIMILAR = 2;
    public static final int UNEQUAL = 3;
    public static final int CART = 1;
    public static final int GRAPH = 2;
    public static final int THREAD_SINGLE = 0;
    public static final int THREAD_FUNNELED = 1;
    public static final int THREAD_SERIALIZED = 2;
    public static final int THREAD_MULTIPLE = 3;
    public static final int BSEND_OVERHEAD = 0;
    public static final int LOCK_EXCLUSIVE = 1;
    public static final int LOCK_SHARED = 2;
    public static final int MODE_NOCHECK = 1;
    public static final int MODE_NOPRECEDE = 2;
    public static final int MODE_NOPUT = 4;
    public static final int MODE_NOSTORE = 8;
    public static final int MODE_NOSUCCEED = 16;

    // Keys of predefined attributes of communicators.

    public static final int KEYVAL_INVALID = -1;
    public static final int TAG_UB = 0;
    public static final int HOST = 1;
    public static final int IO = 2;
    public static final int WTIME_IS_GLOBAL = 3;
    public static final int APPNUM = 4;
    public static final int LASTUSEDCODE = 5;
    public static final int UNIVERSE_SIZE = 6;

    // Types.

    public static final Datatype DATATYPE_NULL = Datatype.NULL;
    public static final Datatype BYTE = Datatype.basic(ElementType.BYTE);
    public static final Datatype CHAR = Datatype.basic(ElementType.CHAR);
    public static final Datatype SHORT = Datatype.basic(ElementType.SHORT);
    public static final Datatype BOOLEAN = Datatype.basic(ElementType.BOOLEAN);
    public static final Datatype INT = Datatype.basic(ElementType.INT);
    public static final Datatype LONG = Datatype.basic(ElementType.LONG);
    public static final Datatype FLOAT = Datatype.basic(ElementType.FLOAT);
    public static final Datatype DOUBLE = Datatype.basic(ElementType.DOUBLE);
    public static final Datatype PACKED = Datatype.basic(ElementType.BYTE);

    /** A pair of ints, for MINLOC and MAXLOC. */
    public static final Datatype INT2 = Datatype.basic(ElementType.INT_INT);

    public static final Datatype SHORT_INT = Datatype.basic(ElementType.SHORT_INT);
    public static final Datatype LONG_INT = Datatype.basic(ElementType.LONG_INT);
    public static final Datatype FLOAT_INT = Datatype.basic(ElementType.FLOAT_INT);
    public static final Datatype DOUBLE_INT = Datatype.basic(ElementType.DOUBLE_INT);
    public static final Datatype FLOAT_COMPLEX = Datatype.twice(ElementType.FLOAT);
    public static final Datatype DOUBLE_COMPLEX = Datatype.twice(ElementType.DOUBLE);

    // Operations.

    public static final Op MAX = new Op(PredefinedReduction.MAX);
    public static final Op MIN = new Op(PredefinedReduction.MIN);
    public static final Op SUM = new Op(PredefinedReduction.SUM);
    public static final Op PROD = new Op(PredefinedReduction.PROD);
    public static final Op LAND = new Op(PredefinedReduction.LAND);
    public static final Op BAND = new Op(PredefinedReduction.BAND);
    public static final Op LOR = new Op(PredefinedReduction.LOR);
    public static final Op BOR = new Op(PredefinedReduction.BOR);
    public static final Op LXOR = new Op(PredefinedReduction.LXOR);
    public static final Op BXOR = new Op(PredefinedReduction.BXOR);
    public static final Op MINLOC = new Op(PredefinedReduction.MINLOC);
    public static final Op MAXLOC = new Op(PredefinedReduction.MAXLOC);

    /** In accumulating calls of windows: replaces the elements. */
    public static final Op REPLACE = new Op(Window.REPLACE);

    /** In accumulating calls of windows: only fetches the elements. */
    public static final Op NO_OP = new Op(Window.NO_OP);

    // Objects.

    public static final Errhandler ERRORS_ARE_FATAL = new Errhandler();
    public static final Errhandler ERRORS_RETURN = new Errhandler();
    public static final Info INFO_NULL = new Info();
    public static final Request REQUEST_NULL = Request.none();
    public static final Group GROUP_EMPTY = new Group(io.verbena.messaging.Group.of());
    public static final Intracomm COMM_NULL = new Intracomm(null);

    /** All ranks of the job. */
    public static final Intracomm COMM_WORLD = new Intracomm(null);

    /** This rank alone. */
    public static final Intracomm COMM_SELF = new Intracomm(null);

    /** MPI knows no time-out: a receive may wait as long as its program runs. */
    private static final Duration TIMEOUT = Duration.ofDays(365);

    private static @Nullable Communicator world;
    private static boolean finalized;
    private static long mainThread;
    private static final long START_NS = System.nanoTime();

    private MPI() {}

    /** Joins the ranks of the job; every program calls it first. Returns the arguments of the program. */
    public static synchronized String[] Init(String[] args) throws MPIException {
        if (world != null || finalized) {
            throw new MPIException(ERR_OTHER, "MPI.Init can be called once only");
        }
        try {
            MessagingOptions options = MessagingOptions.defaults().withTimeout(TIMEOUT);
            Communicator joined = Communicator.world(
                    "thread".equals(System.getProperty("verbena.mpi.progress"))
                            ? options.withProgressThread()
                            : options);
            world = joined;
            mainThread = Thread.currentThread().threadId();
            COMM_WORLD.ranks(joined);
            COMM_SELF.ranks(joined.split(joined.rank(), 0).orElse(null));
        } catch (IOException e) {
            throw new MPIException(ERR_OTHER, "the ranks cannot meet: " + e.getMessage());
        } catch (RuntimeException e) {
            throw MPIException.of(e);
        }
        return args;
    }

    /** Like {@link #Init}; returns the level of threads, at most THREAD_SERIALIZED: one thread at a time. */
    public static int InitThread(String[] args, int required) throws MPIException {
        Init(args);
        return queryThread();
    }

    public static int queryThread() {
        return THREAD_SERIALIZED;
    }

    /** Returns whether this is the thread that called Init. */
    public static synchronized boolean isThreadMain() {
        return Thread.currentThread().threadId() == mainThread;
    }

    /** Waits until all ranks have called it, and ends all connections. */
    public static synchronized void Finalize() throws MPIException {
        Communicator joined = world;
        if (joined == null) {
            throw new MPIException(ERR_OTHER, "call MPI.Init before MPI.Finalize");
        }
        BufferedSends.awaitAll();
        world = null;
        finalized = true;
        COMM_SELF.ranks(null);
        COMM_WORLD.ranks(null);
        try {
            joined.close();
        } catch (RuntimeException e) {
            throw MPIException.of(e);
        }
    }

    public static synchronized boolean isInitialized() {
        return world != null || finalized;
    }

    public static synchronized boolean isFinalized() {
        return finalized;
    }

    /** Seconds since some time in the past. */
    public static double wtime() {
        return (System.nanoTime() - START_NS) / 1e9;
    }

    /** Resolution of {@link #wtime} in seconds. */
    public static double wtick() {
        return 1e-9;
    }

    /** Name of this host. */
    public static String getProcessorName() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            return "localhost";
        }
    }

    /** The version of the standard whose names are used. */
    public static Version getVersion() {
        return new Version(VERSION, SUBVERSION);
    }

    public static String getLibVersion() {
        return "Verbena";
    }

    /** Has no effect but for {@link #detachBuffer}: buffered sends have memory of their own. */
    public static void attachBuffer(byte[] buffer) {
        attached = buffer;
    }

    /** Waits until the messages of all buffered sends have left; returns the buffer that was attached. */
    public static byte[] detachBuffer() throws MPIException {
        BufferedSends.awaitAll();
        byte[] found = attached;
        attached = new byte[0];
        return found;
    }

    private static byte[] attached = new byte[0];

    // Buffers.

    /**
     * A direct buffer. A long one that the thread of {@link #Init} makes is in memory from which ranks that share
     * memory copy messages once ({@link Communicator#allocate}).
     */
    public static ByteBuffer newByteBuffer(int capacity) {
        return buffer(capacity).order(ByteOrder.nativeOrder());
    }

    private static synchronized ByteBuffer buffer(int capacity) {
        Communicator joined = world;
        return joined == null || capacity <= 0 || !isThreadMain()
                ? ByteBuffer.allocateDirect(capacity)
                : joined.allocate(capacity).asByteBuffer();
    }

    public static CharBuffer newCharBuffer(int capacity) {
        return newByteBuffer(2 * capacity).asCharBuffer();
    }

    public static ShortBuffer newShortBuffer(int capacity) {
        return newByteBuffer(2 * capacity).asShortBuffer();
    }

    public static IntBuffer newIntBuffer(int capacity) {
        return newByteBuffer(4 * capacity).asIntBuffer();
    }

    public static LongBuffer newLongBuffer(int capacity) {
        return newByteBuffer(8 * capacity).asLongBuffer();
    }

    public static FloatBuffer newFloatBuffer(int capacity) {
        return newByteBuffer(4 * capacity).asFloatBuffer();
    }

    public static DoubleBuffer newDoubleBuffer(int capacity) {
        return newByteBuffer(8 * capacity).asDoubleBuffer();
    }

    public static ByteBuffer slice(ByteBuffer buf, int offset) {
        return ((ByteBuffer) at(buf.duplicate(), offset)).slice().order(ByteOrder.nativeOrder());
    }

    public static CharBuffer slice(CharBuffer buf, int offset) {
        return ((CharBuffer) at(buf.duplicate(), offset)).slice();
    }

    public static ShortBuffer slice(ShortBuffer buf, int offset) {
        return ((ShortBuffer) at(buf.duplicate(), offset)).slice();
    }

    public static IntBuffer slice(IntBuffer buf, int offset) {
        return ((IntBuffer) at(buf.duplicate(), offset)).slice();
    }

    public static LongBuffer slice(LongBuffer buf, int offset) {
        return ((LongBuffer) at(buf.duplicate(), offset)).slice();
    }

    public static FloatBuffer slice(FloatBuffer buf, int offset) {
        return ((FloatBuffer) at(buf.duplicate(), offset)).slice();
    }

    public static DoubleBuffer slice(DoubleBuffer buf, int offset) {
        return ((DoubleBuffer) at(buf.duplicate(), offset)).slice();
    }

    public static ByteBuffer slice(byte[] buf, int offset) {
        return ByteBuffer.wrap(buf, offset, buf.length - offset).slice().order(ByteOrder.nativeOrder());
    }

    public static CharBuffer slice(char[] buf, int offset) {
        return CharBuffer.wrap(buf, offset, buf.length - offset).slice();
    }

    public static ShortBuffer slice(short[] buf, int offset) {
        return ShortBuffer.wrap(buf, offset, buf.length - offset).slice();
    }

    public static IntBuffer slice(int[] buf, int offset) {
        return IntBuffer.wrap(buf, offset, buf.length - offset).slice();
    }

    public static LongBuffer slice(long[] buf, int offset) {
        return LongBuffer.wrap(buf, offset, buf.length - offset).slice();
    }

    public static FloatBuffer slice(float[] buf, int offset) {
        return FloatBuffer.wrap(buf, offset, buf.length - offset).slice();
    }

    public static DoubleBuffer slice(double[] buf, int offset) {
        return DoubleBuffer.wrap(buf, offset, buf.length - offset).slice();
    }

    private static Buffer at(Buffer buffer, int offset) {
        return buffer.clear().position(offset);
    }
}
