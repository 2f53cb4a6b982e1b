<?php
// A shop of one plugin for `php -S`: the addresses that payers and Kutip open, and some for the test to see and change what a person would in the dashboard.

error_reporting(E_ALL);
set_error_handler(function (int $level, string $message, string $file, int $line) {
    if (error_reporting() & $level) {
        throw new ErrorException($message, 0, $level, $file, $line);
    }
    return false;
});

require __DIR__ . '/functions.php';
require __DIR__ . '/woocommerce.php';
require getenv('KUTIP_PLUGIN');

do_action('before_woocommerce_init');
do_action('plugins_loaded');

$shim_notices = [];
$answer = function ($value): void {
    header('Content-Type: application/json');
    echo json_encode($value);
};
$given = fn (): array => json_decode(file_get_contents('php://input'), true) ?? [];
$path = parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH);
$parts = explode('/', trim($path, '/'));
$id = (int) ($parts[1] ?? 0);

if (isset($_GET['wc-api'])) {
    do_action('woocommerce_api_' . $_GET['wc-api']);
    return;
}
switch ($parts[0]) {
    case 'ready':
        $answer(\Automattic\WooCommerce\Utilities\FeaturesUtil::$declared);
        break;
    case 'checkout':
        // The checkout has read the order before it calls the gateway.
        wc_get_order($id);
        $result = shim_gateway()->process_payment($id);
        $answer([...$result, 'notices' => $shim_notices]);
        break;
    case 'order-received':
        do_action('woocommerce_thankyou_' . shim_gateway()->id, $id);
        break;
    case 'refund':
        $made = wc_create_refund(['order_id' => $id, 'refund_payment' => true, ...$given()]);
        $answer(['error' => is_wp_error($made) ? $made->get_error_message() : null]);
        break;
    case 'status':
        wc_get_order($id)->update_status($given()['status']);
        $answer([]);
        break;
    case 'update':
        $order = wc_get_order($id);
        $order->set_props($given());
        $order->save();
        $answer([]);
        break;
    case 'trash':
    case 'delete':
        $is_for_good = $parts[0] === 'delete';
        if (shim_has_tables() || isset($given()['rest'])) {
            wc_get_order($id)->delete($is_for_good);
        } else {
            $is_for_good ? wp_delete_post($id) : wp_trash_post($id);
        }
        $answer([]);
        break;
    case 'settings-page':
        shim_gateway()->admin_options();
        break;
    case 'available':
        $answer(shim_gateway()->is_available());
        break;
    case 'blocks':
        $registry = new class {
            public array $methods = [];
            public function register($method): void
            {
                $method->initialize();
                $this->methods[] = [
                    'name' => $method->get_name(),
                    'active' => $method->is_active(),
                    'scripts' => $method->get_payment_method_script_handles(),
                    'data' => $method->get_payment_method_data(),
                ];
            }
        };
        do_action('woocommerce_blocks_payment_method_type_registration', $registry);
        $answer($registry->methods);
        break;
    case 'run-scheduled':
        $list = shim_read('scheduled.json', []);
        shim_change('scheduled.json', [], fn () => []);
        foreach ($list as ['hook' => $hook, 'given' => $arguments]) {
            do_action($hook, ...$arguments);
        }
        $answer(count($list));
        break;
    default:
        http_response_code(404);
}
