package io.verbena.spark;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkException;
import org.apache.spark.rpc.RpcCallContext;
import org.apache.spark.rpc.RpcEndpointRef;
import org.apache.spark.rpc.RpcEnv;
import org.apache.spark.rpc.ThreadSafeRpcEndpoint;
import org.apache.spark.util.RpcUtils;
import scala.Function1;
import scala.PartialFunction;
import scala.PartialFunction$;
import scala.reflect.ClassTag;
import scala.reflect.ClassTag$;
import scala.runtime.BoxedUnit;

/**
 * Where the executors of an application listen, in the driver, and the secret that they present to each other. Executors ask through Spark's
 * RPC, which {@code spark.authenticate} protects. Messages are arrays of strings, which a driver without this jar on its class path could read.
 */
final class ExecutorDirectory implements ThreadSafeRpcEndpoint {

    private static final String NAME = "verbena-shuffle";
    private static final String SECRET = "secret";
    private static final String REGISTER = "register";
    private static final String FIND = "find";
    private static final ClassTag<String[]> STRINGS = ClassTag$.MODULE$.apply(String[].class);

    private final RpcEnv env;
    private final String secret;
    private final Map<String, String[]> executors = new ConcurrentHashMap<>();

    ExecutorDirectory(RpcEnv env) {
        this.env = env;
        byte[] bytes = new byte[RangeServer.SECRET_BYTES];
        new SecureRandom().nextBytes(bytes);
        secret = HexFormat.of().formatHex(bytes);
    }

    /** Opens the directory of the application, in the driver. */
    static void open(RpcEnv env) {
        env.setupEndpoint(NAME, new ExecutorDirectory(env));
    }

    @Override
    public RpcEnv rpcEnv() {
        return env;
    }

    @Override
    public PartialFunction<Object, BoxedUnit> receiveAndReply(RpcCallContext context) {
        Function1<Object, BoxedUnit> answer = message -> {
            try {
                context.reply(answer(message));
            } catch (SparkException e) {
                context.sendFailure(e);
            }
            return BoxedUnit.UNIT;
        };
        return PartialFunction$.MODULE$.fromFunction(answer);
    }

    /**
     * The answer to a message. Spark gives no identification to two executors, so the address that was registered
     * first stays: no executor can take the place of another one.
     *
     * @throws SparkException if it is not a request, or names an executor that has registered another address
     */
    String[] answer(Object message) throws SparkException {
        List<String> words = message instanceof String[] all ? Arrays.asList(all) : List.of();
        boolean valid = words.stream().allMatch(Objects::nonNull);
        if (valid && words.size() == 1 && words.getFirst().equals(SECRET)) {
            return new String[] {secret};
        }
        if (valid && words.size() == 2 && words.getFirst().equals(FIND)) {
            return executors.getOrDefault(words.get(1), new String[0]);
        }
        if (valid && words.size() == 4 && words.getFirst().equals(REGISTER)) {
            return register(words.get(1), new String[] {words.get(2), words.get(3)});
        }
        throw new SparkException("not a request of VerbenaShuffleManager");
    }

    private String[] register(String executor, String[] address) throws SparkException {
        String[] known = executors.putIfAbsent(executor, address);
        if (known != null && !Arrays.equals(known, address)) {
            throw new SparkException("executor " + executor + " has registered another address");
        }
        return address;
    }

    /** The directory as an executor sees it. */
    static final class Remote implements Peers.Directory {

        private final RpcEndpointRef driver;

        Remote(SparkConf conf, RpcEnv env) {
            driver = RpcUtils.makeDriverRef(NAME, conf, env);
        }

        /** The secret of the application. The executor is not found before {@link #register}. */
        byte[] secret() {
            return HexFormat.of().parseHex(ask(SECRET)[0]);
        }

        /** States where an executor listens. */
        void register(String executor, InetSocketAddress address) {
            ask(REGISTER, executor, address.getHostString(), String.valueOf(address.getPort()));
        }

        @Override
        public SocketAddress find(String executor) throws IOException {
            String[] found = ask(FIND, executor);
            if (found.length != 2) {
                throw new IOException("executor " + executor + " has not registered for the shuffle");
            }
            return new InetSocketAddress(found[0], Integer.parseInt(found[1]));
        }

        private String[] ask(String... words) {
            return driver.askSync(words, STRINGS);
        }
    }
}
