"""Search in other languages by keywords alone: twelve notes a language, five questions, the right note first."""

import pytest

from tests.unit.search.asking import found, store_of

NOTES: dict[str, list[str]] = {
    "chinese": [
        "数据库每天凌晨两点自动备份到另一台服务器",
        "新的部署窗口改到星期四晚上九点",
        "小王喜欢用深色主题写代码",
        "财务报告必须在每月五号之前交给李经理",
        "会议室的投影仪坏了，维修人员明天上午来",
        "测试环境的密码由安全组统一管理",
        "团队决定下个季度迁移到新的消息队列",
        "客户要求所有发票使用欧元结算",
    ],
    "japanese": [
        "本番サーバーの再起動は毎週日曜日の深夜に行います",
        "田中さんはメールより電話での連絡を好みます",
        "経費の申請は月末までに提出してください",
        "新しいログイン画面は来月公開する予定です",
        "障害が起きたときは最初に監視担当へ知らせる",
        "社員食堂は三階に移転しました",
        "請求書の税率は十パーセントで計算する",
        "テスト用のデータベースは毎朝初期化される",
    ],
    "korean": [
        "운영 서버는 매주 일요일 새벽에 재시작합니다",
        "김 대리는 전화보다 메신저 연락을 선호한다",
        "출장 경비는 월말까지 신청해야 합니다",
        "새 로그인 화면은 다음 달에 공개될 예정이다",
        "장애가 발생하면 먼저 모니터링 팀에 알린다",
        "회의실 프로젝터가 고장 나서 수리를 맡겼다",
        "고객은 모든 청구서를 유로로 받기를 원한다",
        "테스트 데이터베이스는 매일 아침 초기화된다",
    ],
    "thai": [
        "สำรองข้อมูลทุกคืนวันศุกร์ไปยังเซิร์ฟเวอร์สำรอง",
        "คุณสมชายชอบประชุมในช่วงเช้ามากกว่าช่วงบ่าย",
        "ใบแจ้งหนี้ทั้งหมดต้องออกเป็นเงินยูโร",
        "หน้าจอเข้าสู่ระบบใหม่จะเปิดใช้เดือนหน้า",
        "เมื่อระบบล่มให้แจ้งทีมเฝ้าระวังก่อน",
        "โรงอาหารย้ายไปอยู่ชั้นสาม",
        "รหัสผ่านของเครื่องทดสอบดูแลโดยฝ่ายความปลอดภัย",
        "ค่าเดินทางต้องเบิกก่อนสิ้นเดือน",
    ],
    "russian": [
        "Резервные копии базы данных делаются каждую ночь",
        "Ирина предпочитает короткие письма без вложений",
        "Отчёт для бухгалтерии нужно сдать до пятого числа",
        "Новый сервер очередей запускаем в следующем квартале",
        "При сбое сначала сообщаем дежурному инженеру",
        "Все счета выставляются клиенту в евро",
        "Пароли тестовой среды хранит отдел безопасности",
        "Столовая переехала на третий этаж",
    ],
    "spanish": [
        "Las copias de seguridad se hacen cada noche en otro servidor",
        "Lucía prefiere reuniones cortas por la mañana",
        "El informe de gastos se entrega antes del día cinco",
        "La nueva pantalla de acceso se publica el próximo mes",
        "Si hay una avería, primero se avisa al ingeniero de guardia",
        "Todas las facturas del cliente se emiten en euros",
        "La contraseña del entorno de pruebas la guarda seguridad",
        "El comedor se ha mudado a la tercera planta",
    ],
    "german": [
        "Die Datenbank wird jede Nacht auf einen zweiten Server gesichert",
        "Jürgen bevorzugt kurze Besprechungen am Vormittag",
        "Der Spesenbericht muss bis zum fünften eingereicht werden",
        "Die neue Anmeldeseite geht nächsten Monat online",
        "Bei einer Störung wird zuerst die Bereitschaft verständigt",
        "Alle Rechnungen an den Kunden lauten auf Euro",
        "Das Passwort der Testumgebung verwaltet die Sicherheitsabteilung",
        "Die Kantine ist in den dritten Stock umgezogen",
    ],
}

QUESTIONS: dict[str, list[tuple[str, int]]] = {
    "chinese": [
        ("数据库什么时候备份", 0),
        ("部署窗口", 1),
        ("财务报告交给谁", 3),
        ("投影仪维修", 4),
        ("发票用什么结算", 7),
    ],
    "japanese": [
        ("サーバーの再起動はいつ", 0),
        ("田中さんへの連絡", 1),
        ("経費の申請", 2),
        ("社員食堂", 5),
        ("請求書の税率", 6),
    ],
    "korean": [
        ("서버 재시작", 0),
        ("출장 경비 신청", 2),
        ("로그인 화면 공개", 3),
        ("프로젝터 수리", 5),
        ("청구서 유로", 6),
    ],
    "thai": [("สำรองข้อมูลวันไหน", 0), ("ใบแจ้งหนี้เงินยูโร", 2), ("โรงอาหาร", 5), ("รหัสผ่านเครื่องทดสอบ", 6), ("เบิกค่าเดินทาง", 7)],
    "russian": [
        ("резервная копия базы", 0),
        ("отчеты бухгалтерии", 2),
        ("кому сообщать о сбоях", 4),
        ("счёт в евро", 5),
        ("столовая этаж", 7),
    ],
    "spanish": [
        ("copia de seguridad", 0),
        ("informe de gasto", 2),
        ("a quién avisar de una averia", 4),
        ("factura en euros", 5),
        ("comedor planta", 7),
    ],
    "german": [
        ("Datenbank gesichert", 0),
        ("Jurgen Besprechung", 1),
        ("Spesenbericht eingereicht", 2),
        ("Rechnung in Euro", 5),
        ("Kantine Stock", 7),
    ],
}


@pytest.mark.parametrize(
    ("language", "question", "right"),
    [(language, question, right) for language, asked in QUESTIONS.items() for question, right in asked],
)
def test_the_right_note_comes_first(language: str, question: str, right: int) -> None:
    everything = [note for notes in NOTES.values() for note in notes]
    assert found(store_of(*everything), question)[:1] == [NOTES[language][right]]
