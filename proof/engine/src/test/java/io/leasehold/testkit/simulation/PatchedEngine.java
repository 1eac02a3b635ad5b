package io.leasehold.testkit.simulation;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.FileObject;
import javax.tools.ForwardingJavaFileManager;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileManager;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

/**
 * A second copy of the engine and of the simulation in a class loader of its own, some of the
 * engine's classes compiled from changed source.
 */
final class PatchedEngine implements AutoCloseable {
  private static final String SOURCES = "core/src/main/java/io/leasehold/";

  /** Where the engine is, and what it shares with stores. */
  private static final List<String> PACKAGES = List.of("internal", "spi/support");

  /**
   * A change of the engine's source.
   *
   * @param file a source file of the engine, without ending
   * @param search what is replaced; must be there exactly once, however its lines are broken
   */
  record Patch(String file, String search, String replacement) {
    String applyTo(String source) {
      StringBuilder regex = new StringBuilder();
      for (String word : search.trim().split("\\s+", -1)) {
        regex.append(regex.length() > 0 ? "\\s+" : "").append(Pattern.quote(word));
      }
      Matcher matcher = Pattern.compile(regex.toString()).matcher(source);
      long found = matcher.results().count();
      if (found != 1) {
        throw new AssertionError(
            file
                + ".java has "
                + found
                + " places like «"
                + search
                + "», but a mutant needs exactly one: adapt the mutant to the changed source");
      }
      return matcher.replaceFirst(Matcher.quoteReplacement(replacement));
    }
  }

  private final Loader loader;

  private PatchedEngine(Map<String, byte[]> changed) {
    this.loader = new Loader(changed);
  }

  /** The same code, loaded once more. */
  static PatchedEngine unchanged() {
    return new PatchedEngine(Map.of());
  }

  static PatchedEngine with(List<Patch> patches) {
    Map<String, String> sources = new TreeMap<>();
    for (Patch patch : patches) {
      String source = sources.computeIfAbsent(patch.file(), PatchedEngine::read);
      sources.put(patch.file(), patch.applyTo(source));
    }
    return new PatchedEngine(compile(sources));
  }

  private static String read(String file) {
    try {
      for (String of : PACKAGES) {
        Path source = sources().resolve(of).resolve(file + ".java");
        if (Files.exists(source)) {
          return Files.readString(source);
        }
      }
      throw new AssertionError("the engine has no source file " + file + ".java");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Path sources() {
    Path here = Path.of("").toAbsolutePath();
    for (Path at = here; at != null; at = at.getParent()) {
      if (Files.isDirectory(at.resolve(SOURCES))) {
        return at.resolve(SOURCES);
      }
    }
    throw new AssertionError("no " + SOURCES + " in or above " + here);
  }

  // ---- what it can do

  /**
   * Runs seeds one after another until one breaks a promise.
   *
   * @return check, seed and message; empty if none does
   */
  List<String> firstViolation(long from, long seeds) {
    Class<?>[] types = {long.class, long.class};
    return List.of((String[]) call(Entry.class, "firstViolation", types, from, seeds));
  }

  String trace(long seed) {
    return (String) call(Entry.class, "trace", new Class<?>[] {long.class}, seed);
  }

  /** Runs one of the {@link ThreadProbes}: what is wrong, or nothing. */
  String probe(String name) {
    return (String) call(ThreadProbes.class, name, new Class<?>[] {});
  }

  /** Calls a static method of this class's copy. */
  private Object call(Class<?> original, String name, Class<?>[] types, Object... arguments) {
    try {
      Class<?> copy = Class.forName(original.getName(), true, loader);
      Method method = copy.getDeclaredMethod(name, types);
      method.setAccessible(true);
      return method.invoke(null, arguments);
    } catch (InvocationTargetException e) {
      throw new AssertionError("in the copy: " + e.getCause(), e.getCause());
    } catch (ReflectiveOperationException e) {
      throw new LinkageError("in the copy", e);
    }
  }

  @Override
  public void close() {
    try {
      loader.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Where the outside calls in: only types of the JDK cross the border. */
  static final class Entry {
    private Entry() {}

    static String[] firstViolation(long from, long seeds) {
      for (long seed = from; seed < from + seeds; seed++) {
        Violation found = Simulation.run(seed, false, new Sometimes.Counts()).violation();
        if (found != null) {
          return new String[] {found.check().name(), Long.toString(seed), found.getMessage()};
        }
      }
      return new String[0];
    }

    static String trace(long seed) {
      return Simulation.run(seed, true, new Sometimes.Counts()).trace();
    }
  }

  /** Loads {@code io.leasehold} itself, before its parent does. */
  private static final class Loader extends URLClassLoader {
    private final Map<String, byte[]> changed;

    Loader(Map<String, byte[]> changed) {
      super(classPath(), PatchedEngine.class.getClassLoader());
      this.changed = changed;
    }

    private static URL[] classPath() {
      List<Class<?>> one =
          List.of(
              io.leasehold.Lease.class,
              io.leasehold.testkit.InMemoryServer.class,
              PatchedEngine.class);
      return one.stream()
          .map(c -> c.getProtectionDomain().getCodeSource().getLocation())
          .toArray(URL[]::new);
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
      if (!name.startsWith("io.leasehold.")) {
        return super.loadClass(name, resolve);
      }
      synchronized (getClassLoadingLock(name)) {
        Class<?> loaded = findLoadedClass(name);
        if (loaded != null) {
          return loaded;
        }
        byte[] bytes = changed.get(name);
        return bytes == null ? findClass(name) : defineClass(name, bytes, 0, bytes.length);
      }
    }
  }

  // ---- compiling

  private static Map<String, byte[]> compile(Map<String, String> sources) {
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    DiagnosticCollector<JavaFileObject> problems = new DiagnosticCollector<>();
    List<Source> units = new ArrayList<>();
    sources.forEach((file, text) -> units.add(new Source(file, text)));
    String classPath = System.getProperty("java.class.path");
    List<String> options =
        List.of("--release", "17", "-proc:none", "-nowarn", "-classpath", classPath);
    try (Output output = new Output(compiler.getStandardFileManager(problems, null, null))) {
      if (!compiler.getTask(null, output, problems, options, null, units).call()) {
        throw new AssertionError("a mutant of " + sources.keySet() + ": " + errors(problems));
      }
      Map<String, byte[]> classes = new HashMap<>();
      output.classes.forEach((name, bytes) -> classes.put(name, bytes.toByteArray()));
      return classes;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static List<String> errors(DiagnosticCollector<JavaFileObject> problems) {
    return problems.getDiagnostics().stream()
        .filter(d -> d.getKind() == Diagnostic.Kind.ERROR)
        .map(d -> "line " + d.getLineNumber() + ": " + d.getMessage(null))
        .toList();
  }

  private static final class Source extends SimpleJavaFileObject {
    private final String text;

    Source(String file, String text) {
      super(URI.create("string:///" + file + ".java"), JavaFileObject.Kind.SOURCE);
      this.text = text;
    }

    @Override
    public CharSequence getCharContent(boolean ignoreEncodingErrors) {
      return text;
    }
  }

  /** Keeps classes in memory. */
  private static final class Output extends ForwardingJavaFileManager<JavaFileManager> {
    private final Map<String, ByteArrayOutputStream> classes = new HashMap<>();

    Output(JavaFileManager files) {
      super(files);
    }

    @Override
    public JavaFileObject getJavaFileForOutput(
        Location location, String className, JavaFileObject.Kind kind, FileObject sibling) {
      URI uri = URI.create("mem:///" + className.replace('.', '/') + ".class");
      return new SimpleJavaFileObject(uri, kind) {
        @Override
        public OutputStream openOutputStream() {
          ByteArrayOutputStream bytes = new ByteArrayOutputStream();
          classes.put(className, bytes);
          return bytes;
        }
      };
    }
  }
}
