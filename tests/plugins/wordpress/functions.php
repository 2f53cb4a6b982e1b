<?php
// Stand-ins for the functions of WordPress and WooCommerce that the plugin calls. What they do was written from the public documentation; none of
// their code is here. Data is kept as JSON files in KUTIP_SHIM_FOLDER, so that several processes see it.

define('ABSPATH', __DIR__ . '/');

function shim_path(string $name): string
{
    return getenv('KUTIP_SHIM_FOLDER') . "/$name";
}

function shim_read(string $name, $otherwise)
{
    $text = is_file(shim_path($name)) ? file_get_contents(shim_path($name)) : '';
    return $text === '' ? $otherwise : json_decode($text, true);
}

/** Changes a file while no other process does. */
function shim_change(string $name, $otherwise, callable $change)
{
    $lock = fopen(shim_path("$name.lock"), 'c');
    flock($lock, LOCK_EX);
    $value = $change(shim_read($name, $otherwise));
    // Renamed into place: a reader sees the old text or the new one.
    file_put_contents(shim_path("$name.new"), json_encode($value));
    rename(shim_path("$name.new"), shim_path($name));
    flock($lock, LOCK_UN);
    return $value;
}

// Hooks.
$shim_hooks = [];
function add_filter(string $name, callable $call, int $priority = 10, int $arguments = 1): void
{
    global $shim_hooks;
    $shim_hooks[$name][] = [$call, $arguments];
}
function add_action(string $name, callable $call, int $priority = 10, int $arguments = 1): void
{
    add_filter($name, $call, $priority, $arguments);
}
function apply_filters(string $name, $value, ...$more)
{
    global $shim_hooks;
    foreach ($shim_hooks[$name] ?? [] as [$call, $arguments]) {
        $value = $call(...array_slice([$value, ...$more], 0, $arguments));
    }
    return $value;
}
function do_action(string $name, ...$given): void
{
    global $shim_hooks;
    foreach ($shim_hooks[$name] ?? [] as [$call, $arguments]) {
        $call(...array_slice($given, 0, $arguments));
    }
}

// Texts.
function __(string $text, string $domain = ''): string
{
    return $text;
}
function esc_html($text): string
{
    return htmlspecialchars((string) $text, ENT_QUOTES);
}
function esc_html__(string $text, string $domain = ''): string
{
    return esc_html($text);
}
function wp_specialchars_decode(string $text, $quotes = ENT_NOQUOTES): string
{
    return htmlspecialchars_decode($text, $quotes);
}
function get_bloginfo(string $name): string
{
    return shim_read('shop.json', [])['name'] ?? 'Kedai &amp; Co';
}
function wp_json_encode($value)
{
    return json_encode($value);
}
function wp_unslash($value)
{
    return is_string($value) ? stripslashes($value) : $value;
}
function wp_generate_uuid4(): string
{
    return vsprintf('%s%s-%s-4%s-8%s-%s%s%s', str_split(bin2hex(random_bytes(15)) . '00', 4)) ?: '';
}
function wp_parse_url(string $url, int $part = -1)
{
    return parse_url($url, $part);
}
function plugins_url(string $path, string $file): string
{
    return 'http://shop.example/' . basename(dirname($file)) . "/$path";
}
function wp_register_script(string $handle, string $url, array $needs = [], $version = false, bool $footer = false): bool
{
    return true;
}
function status_header(int $status): void
{
    http_response_code($status);
}

// Options.
function get_option(string $name, $otherwise = false)
{
    return shim_read('options.json', [])[$name] ?? $otherwise;
}

// Orders, which a request keeps as it read them. They are posts, or have tables with a cache of their own.
$shim_rows = [];
function shim_has_tables(): bool
{
    return (shim_read('shop.json', [])['storage'] ?? 'posts') === 'tables';
}
function shim_order(int $id): array
{
    global $shim_rows;
    return $shim_rows[$id] ??= shim_read("order-$id.json", []);
}
function shim_forget(int $id): void
{
    global $shim_rows;
    unset($shim_rows[$id]);
}
function clean_post_cache($id): void
{
    if (!shim_has_tables()) {
        shim_forget($id);
    }
}
function shim_bin(int $id): void
{
    shim_change("order-$id.json", [], fn (array $row) => [...$row, 'status' => 'trash']);
    shim_forget($id);
}
function wp_trash_post(int $id): void
{
    do_action('wp_trash_post', $id);
    shim_bin($id);
    do_action('trashed_post', $id);
}
function wp_delete_post(int $id): void
{
    do_action('before_delete_post', $id);
    unlink(shim_path("order-$id.json"));
    shim_forget($id);
}

// Errors and HTTP.
class WP_Error
{
    public function __construct(public string $code = '', public string $message = '')
    {
    }
    public function get_error_message(): string
    {
        return $this->message;
    }
}
function is_wp_error($thing): bool
{
    return $thing instanceof WP_Error;
}
function wp_remote_request(string $url, array $request)
{
    $headers = ["User-Agent: {$request['user-agent']}"];
    foreach ($request['headers'] as $name => $value) {
        $headers[] = "$name: $value";
    }
    $http = [
        'method' => $request['method'],
        'header' => $headers,
        'content' => $request['body'] ?? '',
        'timeout' => min($request['timeout'], (float) (getenv('KUTIP_SHIM_TIMEOUT') ?: 20)),
        'follow_location' => 0,
        'ignore_errors' => true,
    ];
    $body = @file_get_contents($url, false, stream_context_create(['http' => $http]));
    if ($body === false || !isset($http_response_header)) {
        return new WP_Error('http_request_failed', 'cURL error 28: Operation timed out');
    }
    preg_match('/ (\d{3})/', $http_response_header[0], $status);
    $read = [];
    foreach ($http_response_header as $line) {
        if (str_contains($line, ':')) {
            [$name, $value] = explode(':', $line, 2);
            $read[strtolower($name)] = trim($value);
        }
    }
    return ['status' => (int) $status[1], 'body' => $body, 'headers' => $read];
}
function wp_remote_retrieve_response_code($response)
{
    return $response['status'] ?? '';
}
function wp_remote_retrieve_body($response): string
{
    return $response['body'] ?? '';
}
function wp_remote_retrieve_header($response, string $name): string
{
    return $response['headers'][$name] ?? '';
}

/** The database's own locks, by files. */
$wpdb = new class {
    public string $prefix = 'wp_';
    private array $held = [];
    public function prepare(string $query, ...$values): string
    {
        return vsprintf(str_replace('%s', "'%s'", $query), $values);
    }
    public function get_var(string $query): string
    {
        if (preg_match("/^SELECT RELEASE_LOCK\('(\w+)'\)$/", $query, $found)) {
            unset($this->held[$found[1]]);
            return '1';
        }
        if (!preg_match("/^SELECT GET_LOCK\('(\w{1,64})', (\d+)\)$/", $query, $found)) {
            throw new Error("the shim knows no query $query");
        }
        $file = fopen(shim_path("lock-{$found[1]}"), 'c');
        $wait = shim_read('shop.json', [])['lock_seconds'] ?? (int) $found[2];
        for ($until = microtime(true) + $wait; !flock($file, LOCK_EX | LOCK_NB); usleep(5_000)) {
            if (microtime(true) > $until) {
                return '0';
            }
        }
        $this->held[$found[1]] = $file;
        return '1';
    }
};
